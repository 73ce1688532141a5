"""Notices on a company's figures: `every_note` lists them in order, and the other files say what each kind is on."""
