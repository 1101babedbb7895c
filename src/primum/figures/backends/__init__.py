"""What draws a scene: Plotly, on a page, and Matplotlib, for print."""
