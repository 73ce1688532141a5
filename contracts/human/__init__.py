"""What humans send to a run, and who may."""
