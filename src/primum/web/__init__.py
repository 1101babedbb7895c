"""What every web server of Primum needs: guarded requests, errors as sentences, static files and a server."""
