import { useComputedColorScheme } from '@mantine/core';
import { useReducedMotion } from '@mantine/hooks';
import {
  BarController,
  BarElement,
  CategoryScale,
  Chart,
  type ChartConfiguration,
  LinearScale,
  Tooltip,
} from 'chart.js';
import { useEffect, useRef } from 'react';
import { labelOf } from './describe-usage.ts';
import { type ColourScheme, fillOf } from './fills.ts';
import { surfaceColour } from './surface-colour.ts';
import { type UsagePoint, type UsageUnit, usageClasses } from './usage-point.ts';

Chart.register(BarController, BarElement, CategoryScale, LinearScale, Tooltip);

/** Milliseconds that bars take to grow. */
const growMs = 300;

/** The bars. Loaded when a chart is first shown; what it shows is said in words around it. */
export default function ChartCanvas({
  points,
  unit,
}: {
  readonly points: readonly UsagePoint[];
  readonly unit: UsageUnit;
}) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const scheme = useComputedColorScheme('light');
  const isCalm = useReducedMotion();
  useEffect(() => {
    if (canvas.current === null) return;
    const chart = new Chart(canvas.current, configuration(points, unit, scheme, isCalm));
    return () => chart.destroy();
  }, [points, unit, scheme, isCalm]);
  return <canvas ref={canvas} />;
}

function configuration(
  points: readonly UsagePoint[],
  unit: UsageUnit,
  scheme: ColourScheme,
  isCalm: boolean,
): ChartConfiguration<'bar'> {
  const style = getComputedStyle(document.documentElement);
  const variable = (name: string) => style.getPropertyValue(name).trim();
  const ground = surfaceColour();
  const ticks = {
    color: variable('--mantine-color-dimmed'),
    font: { family: variable('--mantine-font-family') },
  };
  return {
    type: 'bar',
    data: {
      labels: points.map(({ at }) => labelOf(at, unit)),
      datasets: usageClasses.map(({ name, label }) => ({
        label,
        data: points.map((point) => point[name]),
        backgroundColor: fillOf(name, scheme, ground),
        borderColor: ground,
        borderWidth: { top: 1 },
        borderRadius: 2,
        maxBarThickness: 36,
      })),
    },
    options: {
      responsive: true,
      maintainAspectRatio: false,
      animation: isCalm ? false : { duration: growMs },
      interaction: { mode: 'index', intersect: false },
      scales: {
        x: {
          stacked: true,
          grid: { display: false },
          ticks: { ...ticks, maxRotation: 0, autoSkipPadding: 16 },
        },
        y: {
          stacked: true,
          beginAtZero: true,
          border: { display: false },
          grid: { color: variable('--line') },
          ticks: { ...ticks, precision: 0, maxTicksLimit: 5 },
        },
      },
    },
  };
}
