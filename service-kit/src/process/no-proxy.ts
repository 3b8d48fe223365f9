// Imported for its effect by every program. Node reads http_proxy and the like only with NODE_USE_ENV_PROXY or --use-env-proxy,
// and then before any code runs; `fetch` looks at this one before each request. Other clients have agents of their own.
// biome-ignore lint/style/noProcessEnv: no configuration, but what the platform takes none from.
process.env.no_proxy = '*';
