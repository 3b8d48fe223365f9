// Finds sections of all pages. The library and the index are loaded when the field is first used.

const box = document.querySelector('.search');
const input = box.querySelector('input');
const hits = box.querySelector('.hits');
const count = box.querySelector('.count');

const maxHits = 8;

let loading;

/** Resolves to the index; the next use tries again after a failure. */
function load() {
  loading ??= Promise.all([
    import(box.dataset.library),
    fetch(box.dataset.index).then((response) => response.json()),
  ])
    .then(([{ default: MiniSearch }, { options, index }]) => MiniSearch.loadJS(index, options))
    .catch((error) => {
      loading = undefined;
      throw error;
    });
  return loading;
}

const preferences = {
  boost: { title: 4 },
  prefix: true,
  fuzzy: (term) => (term.length > 4 ? 0.2 : 0),
  combineWith: 'AND',
};

function element(name, className, text) {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = text;
  return made;
}

function renderHit({ id, page, title, excerpt }) {
  const link = element('a', 'hit', '');
  link.href = id;
  const place = page === title ? page : `${page} › ${title}`;
  link.append(element('strong', '', place), ' ', element('span', '', excerpt));
  return link;
}

function show(found) {
  hits.replaceChildren(...found.slice(0, maxHits).map(renderHit));
  hits.hidden = found.length === 0;
}

function close() {
  hits.hidden = true;
  count.textContent = '';
}

async function search() {
  const text = input.value.trim();
  if (text === '') return close();
  try {
    const index = await load();
    // Another letter was typed meanwhile.
    if (text !== input.value.trim()) return;
    const found = index.search(text, preferences);
    show(found);
    count.textContent = found.length === 0 ? 'Nothing found' : `${found.length} found`;
  } catch {
    count.textContent = 'The search cannot be loaded';
  }
}

/** Moves to the hit above or below; from the first one upwards, to the field. */
function move(event, step) {
  const stops = [input, ...hits.querySelectorAll('a')];
  const next = stops[stops.indexOf(document.activeElement) + step];
  if (next === undefined || hits.hidden) return;
  event.preventDefault();
  next.focus();
}

input.addEventListener('focus', () => load().catch(() => undefined));
input.addEventListener('input', search);
input.addEventListener('click', search);
box.addEventListener('keydown', (event) => {
  if (event.key === 'ArrowDown') move(event, 1);
  if (event.key === 'ArrowUp') move(event, -1);
  if (event.key === 'Enter' && event.target === input) hits.querySelector('a')?.click();
  if (event.key !== 'Escape') return;
  input.focus();
  close();
});
hits.addEventListener('click', close);
document.addEventListener('pointerdown', ({ target }) => {
  if (!box.contains(target)) close();
});
box.addEventListener('focusout', ({ relatedTarget }) => {
  if (relatedTarget !== null && !box.contains(relatedTarget)) close();
});
addEventListener('keydown', (event) => {
  if (event.key !== 'k' || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  input.focus();
});
