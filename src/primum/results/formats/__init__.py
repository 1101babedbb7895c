"""Results in the forms in which people and other programs read them: tables, pages, arrays and files."""
