import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig({
  plugins: [react()],
  build: {
    target: "es2022",
    assetsInlineLimit: 0, // the page's policy loads nothing from data:
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 300,
  },
  server: { proxy: { "/v1": "http://127.0.0.1:8460", "/readyz": "http://127.0.0.1:8460" } },
});
