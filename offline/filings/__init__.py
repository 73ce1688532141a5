"""A folder's facts files, or the sample: Apple's and Snowflake's, gzipped, in the public domain."""
