"""The gateway: HTTP in front of the store and of Temporal."""
