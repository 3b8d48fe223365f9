// Imported by every program for its side effect. Node reads http_proxy and so on only with NODE_USE_ENV_PROXY or
// --use-env-proxy, before any code runs. `fetch` checks this variable before each request; other clients have their own agents.
// biome-ignore lint/style/noProcessEnv: not read as configuration, but protected from being used as such.
process.env.no_proxy = '*';
