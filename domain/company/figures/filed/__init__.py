"""Filed data: `facts` as of a day, their fiscal `periods`, each metric's `series`, and `accounts` over all."""
