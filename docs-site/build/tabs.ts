import { escapeHtml } from './html.ts';

/** One of several alternatives, of which one is shown. */
export interface Tab {
  readonly label: string;
  /** Anchor; the alternative that a link leads to is shown as well. */
  readonly id?: string;
  readonly html: string;
}

/**
 * Alternatives as radio buttons, so that each can be chosen without script.
 * @param name unique on the page
 * @param legend what is chosen
 */
export function renderTabs(name: string, legend: string, tabs: readonly Tab[]): string {
  const labels = tabs.map(
    ({ label }, index) =>
      `<label><input type="radio" name="${escapeHtml(name)}" value="${escapeHtml(label)}"${index === 0 ? ' checked' : ''}>${escapeHtml(label)}</label>`,
  );
  const panels = tabs.map(
    ({ id, html }) => `<div class="panel"${id === undefined ? '' : ` id="${id}"`}>${html}</div>`,
  );
  return `<div class="tabs" role="group" aria-label="${escapeHtml(legend)}"><div class="choices">${labels.join('')}</div>${panels.join('')}</div>`;
}
