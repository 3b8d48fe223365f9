import fc from 'fast-check';
import { PathTree } from './path-tree.ts';

const treeOf = (...templates: string[]) => {
  const tree = new PathTree<string>('/');
  for (const template of templates) tree.add(template, template);
  return tree;
};

test('A parameter is one segment of unreserved characters, 128 at most.', () => {
  const tree = treeOf('/v2/file/{name}');
  for (const name of ['7', 'invoice_2027-01.pdf', '~me', '...', 'x'.repeat(128)]) {
    expect([name, tree.find(`/v2/file/${name}`)]).toEqual([name, '/v2/file/{name}']);
  }
  for (const name of ['', 'a/b', 'a%20b', 'a:b', '@me', 'é', 'x'.repeat(129), '{name}']) {
    expect([name, tree.find(`/v2/file/${name}`)]).toEqual([name, undefined]);
  }
});

test('A path in letters goes before a parameter, and only where it leads to a route.', () => {
  const tree = treeOf('/v2/customers/search', '/v2/customers/{id}', '/v2/customers/{id}/sources');
  expect(tree.find('/v2/customers/search')).toBe('/v2/customers/search');
  expect(tree.find('/v2/customers/cus_1')).toBe('/v2/customers/{id}');
  expect(tree.find('/v2/customers/search/sources')).toBe('/v2/customers/{id}/sources');
  expect(tree.find('/v2/customers')).toBeUndefined();
  expect(tree.find('/v2/customers/search/other')).toBeUndefined();
});

test('Names of Object.prototype are segments like others.', () => {
  const tree = treeOf('/v2/{id}/x');
  expect(tree.find('/v2/constructor/x')).toBe('/v2/{id}/x');
  expect(tree.find('/constructor')).toBeUndefined();
});

const segment = fc.constantFrom('a', 'b', 'c', '{x}');

/** Matches in the order of templates from the most to the least specific, each by its own pattern. */
function findNaively(templates: readonly string[], path: string): string | undefined {
  const shape = (template: string) =>
    template.replaceAll(/[^/{]+|\{x\}/g, (part) => (part === '{x}' ? '1' : '0'));
  const sorted = templates.toSorted((one, other) => (shape(one) < shape(other) ? -1 : 1));
  return sorted.find((template) => {
    const parts = template
      .slice(1)
      .split('/')
      .map((part) => (part === '{x}' ? '[\\w.~-]{1,128}' : part));
    return new RegExp(`^/${parts.join('/')}$`).test(path);
  });
}

test('Any tree finds what a search through all templates finds.', () => {
  const path = fc.array(segment, { minLength: 1, maxLength: 5 }).map((parts) => `/${parts.join('/')}`);
  const asked = fc.array(fc.constantFrom('a', 'b', 'c', 'd', ''), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(
      fc.uniqueArray(path, { maxLength: 40 }),
      fc.array(asked, { maxLength: 50 }),
      (templates, all) => {
        const tree = treeOf(...templates);
        for (const parts of all) {
          const one = `/${parts.join('/')}`;
          expect([one, tree.find(one)]).toEqual([one, findNaively(templates, one)]);
        }
      },
    ),
  );
});
