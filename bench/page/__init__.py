"""What is seen of the page: its browser, how it keeps up while a run streams, its pictures."""
