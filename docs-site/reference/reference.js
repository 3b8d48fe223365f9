// The API reference: Swagger UI with our document and our restrictions.

const dark = matchMedia('(prefers-color-scheme: dark)');
const setScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', setScheme);
setScheme();

/** Sends requests to the origin of the page, with the typed credential and no cookies. */
function keepToThisOrigin(request) {
  const { pathname, search } = new URL(request.url, location.origin);
  request.url = location.origin + pathname + search;
  request.credentials = 'omit';
  return request;
}

/** Operations with a client secret or a redirect are shown without a form: secrets belong on servers. */
const isForBearers = (path) => !path.includes('/oauth/');

const onlyBearers = {
  statePlugins: {
    spec: { wrapSelectors: { allowTryItOutFor: () => (_state, path) => isForBearers(path) } },
    auth: {
      wrapSelectors: {
        definitionsToAuthorize: (original) => (state) =>
          original(state).filter((definition) => definition.has('apiKey')),
      },
    },
  },
};

const nothing = () => () => null;
const ourPage = ({ React }) => ({
  wrapComponents: {
    // The only server is this one.
    ServersContainer: nothing,
    // Screen readers do not see a link within a button. Opening an operation still changes the address.
    DeepLink:
      () =>
      ({ text }) =>
        React.createElement('span', null, text),
  },
});

/** Accessibility attributes that Swagger UI lacks. */
const repairs = {
  // The page has its own main element.
  'main#operations': { role: 'group', 'aria-label': 'Operations' },
  '.close-modal:not([aria-label])': { 'aria-label': 'Close' },
  '.examples-select-element:not([aria-label])': { 'aria-label': 'Example' },
  // Scrollable regions need keyboard focus (WCAG 2.1.1).
  'pre.microlight:not([tabindex])': { tabindex: '0' },
};
/** Labels that contradict the text of the button. */
const misnamed = '.modal-btn[aria-label]';

function repair(root) {
  for (const [selector, attributes] of Object.entries(repairs)) {
    for (const element of root.querySelectorAll(selector)) {
      for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    }
  }
  for (const element of root.querySelectorAll(misnamed)) element.removeAttribute('aria-label');
  for (const row of root.querySelectorAll('[data-param-name]')) {
    for (const field of row.querySelectorAll('input, select, textarea')) {
      field.setAttribute('aria-label', row.dataset.paramName);
    }
  }
}

const root = document.getElementById('swagger-ui');
new MutationObserver(() => repair(root)).observe(root, { childList: true, subtree: true });

window.SwaggerUIBundle({
  url: '/docs/openapi.json',
  domNode: root,
  deepLinking: true,
  persistAuthorization: false,
  validatorUrl: null,
  defaultModelsExpandDepth: 0,
  defaultModelExpandDepth: 3,
  displayRequestDuration: true,
  docExpansion: 'list',
  // Its colours have too little contrast on our backgrounds.
  syntaxHighlight: false,
  requestInterceptor: keepToThisOrigin,
  plugins: [onlyBearers, ourPage],
});
