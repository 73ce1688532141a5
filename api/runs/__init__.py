"""Operations on runs that the routers use: start, state, history, comparison."""
