"""The verification of claims: by code, by a judge, and by their writer, who mends what did not hold."""
