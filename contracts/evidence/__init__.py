"""Sources, claims and citations; a listed company's figures and news."""
