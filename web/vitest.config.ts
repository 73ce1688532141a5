import { defineConfig } from "vitest/config";

import { firstNotices } from "./first-notices.ts";

export default defineConfig({
  plugins: [firstNotices],
  test: {
    testTimeout: 60_000, // the machine may be busy: other tests run beside
    css: true, // tests/style.test.ts reads the stylesheets
    // Pure functions share one thread: a worker for each file took four times as long.
    isolate: false,
    maxWorkers: 1,
    pool: "threads",
  },
});
