// Fills the page of the API reference: Swagger UI on our document, with what it may do set here.

const dark = matchMedia('(prefers-color-scheme: dark)');
const setScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', setScheme);
setScheme();

/** Requests go to the address that the page came from, under whichever name, and carry the typed credential only. */
function keepToThisOrigin(request) {
  const { pathname, search } = new URL(request.url, location.origin);
  request.url = location.origin + pathname + search;
  request.credentials = 'omit';
  return request;
}

/** Client secrets belong on a server: what needs one, and what needs a browser of its own, is shown but not tried. */
const isForBearers = (path) => !path.includes('/oauth/');

const withoutClientSecrets = () => ({
  statePlugins: {
    spec: { wrapSelectors: { allowTryItOutFor: () => (_state, path) => isForBearers(path) } },
    auth: {
      wrapSelectors: {
        definitionsToAuthorize: (original) => (state) =>
          original(state).filter((definition) => definition.has('apiKey')),
      },
    },
  },
});

window.SwaggerUIBundle({
  url: '/docs/openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  persistAuthorization: false,
  validatorUrl: null,
  defaultModelsExpandDepth: 0,
  defaultModelExpandDepth: 3,
  displayRequestDuration: true,
  docExpansion: 'list',
  requestInterceptor: keepToThisOrigin,
  plugins: [withoutClientSecrets],
});
