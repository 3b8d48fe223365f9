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
    // There is one server, which is this one.
    ServersContainer: nothing,
    // A link within a button is none for a screen reader. The address still changes with what is opened.
    DeepLink:
      () =>
      ({ text }) =>
        React.createElement('span', null, text),
  },
});

/** What Swagger UI leaves out for people who do not see the page, or have no mouse. */
const repairs = {
  // A page has one main part, and it is ours.
  'main#operations': { role: 'group', 'aria-label': 'Operations' },
  '.close-modal:not([aria-label])': { 'aria-label': 'Close' },
  '.examples-select-element:not([aria-label])': { 'aria-label': 'Example' },
  // What scrolls sideways by itself must be reachable with the keyboard.
  'pre.microlight:not([tabindex])': { tabindex: '0' },
};
/** Names that say something else than the button. */
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
  // Its colours are too pale on our grounds.
  syntaxHighlight: false,
  requestInterceptor: keepToThisOrigin,
  plugins: [onlyBearers, ourPage],
});
