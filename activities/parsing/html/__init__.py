"""Web pages: their text, their date, and pages served in place of the requested one."""
