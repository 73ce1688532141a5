"""Model and tool calls: journaled, priced, capped, streamed, validated."""
