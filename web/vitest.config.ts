import { defineConfig } from "vitest/config";

export default defineConfig({ test: { css: true } }); // tests/style.test.ts reads the stylesheets
