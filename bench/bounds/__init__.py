"""What another tenant waits for while each bound of a stack is exercised."""
