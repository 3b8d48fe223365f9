// The chosen language is that of all samples, and of the next visit. Without this each group is chosen by itself.

const storageKey = 'docs-language';

const read = () => {
  try {
    return localStorage.getItem(storageKey);
  } catch {
    return null;
  }
};

const keep = (value) => {
  try {
    localStorage.setItem(storageKey, value);
  } catch {
    // Storage is switched off: the choice ends with the page.
  }
};

const choose = (value) => {
  for (const input of document.querySelectorAll('.choices input')) {
    if (input.value === value) input.checked = true;
  }
};

/** Shows the alternative that the address leads to. */
function follow() {
  const panel = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (panel?.matches('.panel') !== true) return;
  const index = [...panel.parentElement.querySelectorAll(':scope > .panel')].indexOf(panel);
  panel.parentElement.querySelectorAll('.choices input')[index].checked = true;
}

document.addEventListener('change', ({ target }) => {
  if (!target.matches('.choices input')) return;
  // Other groups above change their height: what is read stays where it is.
  const before = target.getBoundingClientRect().top;
  choose(target.value);
  scrollBy({ top: target.getBoundingClientRect().top - before, behavior: 'instant' });
  keep(target.value);
});

choose(read());
follow();
addEventListener('hashchange', follow);
