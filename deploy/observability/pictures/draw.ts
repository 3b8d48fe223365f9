import type { DrawnDashboard, DrawnPanel, Line } from './panels.ts';
import { scaleOf, ticksTo } from './units.ts';

/** Pixels of a picture, and of one row of Grafana's grid. */
const width = 1_440;
const rowHeight = 33;
const gap = 8;
/** Characters of a legend; the lines that do not fit are counted. */
const legendSize = 170;

const colours =
  '#2a55e0 #e07b00 #157a49 #c4281c #8a4fd3 #00889e #a16207 #d6409f #5b6472 #6aa84f #7f3f1d #5aa9e6'.split(
    ' ',
  );

const style = `
  body { margin: 0; width: ${width}px; background: #f0f2f5; color: #161b26; font: 12px 'DejaVu Sans Condensed', sans-serif; }
  header { padding: 14px ${gap + 4}px 4px; display: flex; justify-content: space-between; align-items: baseline; }
  h1 { font-size: 18px; margin: 0; } header p { margin: 0; color: #5b6472; }
  main { position: relative; }
  section { position: absolute; box-sizing: border-box; background: #fff; border: 1px solid #d3d8e0; border-radius: 3px;
    padding: 8px 10px; display: flex; flex-direction: column; }
  h2 { font-size: 13px; margin: 0 0 6px; }
  svg { display: block; flex: none; } svg text { font-size: 11px; fill: #5b6472; }
  .legend { margin-top: 5px; line-height: 15px; color: #424b59; overflow: hidden; }
  .legend span { white-space: nowrap; margin-right: 10px; } .legend i { display: inline-block; width: 12px; height: 3px; margin: 0 4px 3px 0; }
  .empty { margin: auto; color: #5b6472; text-align: center; }`;

/** Page that shows a dashboard as its JSON places it. @param seconds length of the range @param step seconds between two points */
export function drawDashboard(
  { title, panels, name }: DrawnDashboard,
  seconds: number,
  step: number,
): string {
  const rows = Math.max(...panels.map(({ gridPos: { y, h } }) => y + h));
  const sections = panels.map((panel) => drawPanel(panel, seconds, step)).join('');
  const subtitle = `drawn from dashboards/${name}.json and ${Math.round(seconds / 60)} minutes of real data; not Grafana`;
  return `<!doctype html><meta charset="utf-8"><style>${style}</style>
    <header><h1>${text(title)}</h1><p>${text(subtitle)}</p></header>
    <main style="height:${rows * rowHeight + gap}px">${sections}</main>`;
}

function drawPanel(panel: DrawnPanel, seconds: number, step: number): string {
  const { x, y, w, h } = panel.gridPos;
  const column = (width - gap) / 24;
  const box = {
    left: gap + x * column,
    top: gap + y * rowHeight,
    width: w * column - gap,
    height: h * rowHeight - gap,
  };
  const place = Object.entries(box).map(([property, value]) => `${property}:${value}px`);
  const lines = byHeight(panel.lines);
  const content =
    lines.length === 0
      ? `<p class="empty">No data<br>${text(panel.description)}</p>`
      : drawGraph(lines, panel.fieldConfig.defaults.unit, {
          width: box.width - 22,
          height: box.height - 90,
          seconds,
          step,
        });
  return `<section style="${place.join(';')}"><h2>${text(panel.title)}</h2>${content}${drawLegend(lines)}</section>`;
}

const highest = ({ points }: Line) => Math.max(...points.map(([, value]) => value));

/** Lines in the order of Grafana's tooltip, the highest first. */
const byHeight = (lines: readonly Line[]) => lines.toSorted((a, b) => highest(b) - highest(a));

interface Frame {
  readonly width: number;
  readonly height: number;
  readonly seconds: number;
  readonly step: number;
}

/** Margins for the numbers of the axes. */
const [left, right, below] = [64, 14, 16];

function drawGraph(lines: readonly Line[], unit: string, frame: Frame): string {
  const { width: all, height, seconds } = frame;
  const max = Math.max(...lines.map(highest));
  const [factor, suffix] = scaleOf(unit, max);
  const ticks = ticksTo(max > 0 ? max / factor : 1);
  const top = (ticks.at(-1) ?? 1) * factor;
  const toX = (second: number) => left + (second / seconds) * (all - left - right);
  const toY = (value: number) => height - below - (value / top) * (height - below - 6);
  const horizontal = ticks.map((tick) => {
    const at = toY(tick * factor).toFixed(1);
    const label = `${Number(tick.toPrecision(3))}${suffix}`;
    return `<path d="M${left} ${at}H${all - right}" stroke="#e4e7ec"/><text x="${left - 6}" y="${at}" dy="4" text-anchor="end">${label}</text>`;
  });
  const minutes = Array.from({ length: Math.floor(seconds / 60) + 1 }, (_, minute) => {
    const at = toX(minute * 60).toFixed(1);
    return `<path d="M${at} 6V${height - below}" stroke="#f0f2f5"/><text x="${at}" y="${height - 2}" text-anchor="middle">${minute}:00</text>`;
  });
  const paths = lines.map((line, index) => drawLine(line, colourOf(index), { toX, toY, step: frame.step }));
  // The highest line is drawn last, above the others.
  return `<svg width="${all}" height="${height}">${minutes.join('')}${horizontal.join('')}${paths.reverse().join('')}</svg>`;
}

const colourOf = (index: number) => colours[index % colours.length] ?? '#000';

interface Projection {
  readonly step: number;
  toX(second: number): number;
  toY(value: number): number;
}

/** A line with a gap where the series has none of its points. */
function drawLine({ points }: Line, colour: string, { toX, toY, step }: Projection): string {
  const path = points.map(([second, value], index) => {
    const follows = second - (points[index - 1]?.[0] ?? Number.NEGATIVE_INFINITY) <= step * 1.5;
    // An isolated point is drawn as a line without length, whose round ends make it a dot.
    return `${follows ? 'L' : 'M'}${toX(second).toFixed(1)} ${toY(value).toFixed(1)}${follows ? '' : 'h0'}`;
  });
  return `<path d="${path.join('')}" fill="none" stroke="${colour}" stroke-width="1.6" stroke-linejoin="round" stroke-linecap="round"/>`;
}

function drawLegend(lines: readonly Line[]): string {
  let size = 0;
  const shown = lines.flatMap(({ name }, index) => {
    size += name.length + 5;
    return size > legendSize && index > 0
      ? []
      : [`<span><i style="background:${colourOf(index)}"></i>${text(name)}</span> `];
  });
  const rest = lines.length - shown.length;
  return `<div class="legend">${shown.join('')}${rest > 0 ? `and ${rest} more` : ''}</div>`;
}

const text = (value: string) => value.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
