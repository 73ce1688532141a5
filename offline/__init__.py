"""Offline services that speak the providers' wire formats over a library of documents."""
