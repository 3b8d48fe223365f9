import { useComputedColorScheme } from '@mantine/core';
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
import { backgroundColour, type ColourScheme, fillFor } from './fills.ts';
import { formatBucket, type UsagePoint, type UsageUnit, usageClasses } from './usage.ts';

Chart.register(BarController, BarElement, CategoryScale, LinearScale, Tooltip);

/** The bars, loaded on first use. The text alternative is in usage-panel.tsx. */
export default function ChartCanvas({
  points,
  unit,
}: {
  readonly points: readonly UsagePoint[];
  readonly unit: UsageUnit;
}) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const scheme = useComputedColorScheme('light');
  // Redraws only when the numbers change, not with every new array.
  const data = JSON.stringify(points);
  useEffect(() => {
    if (canvas.current === null) return;
    const background = backgroundColour(canvas.current);
    const chart = new Chart(canvas.current, configuration(JSON.parse(data), unit, scheme, background));
    return () => chart.destroy();
  }, [data, unit, scheme]);
  return <canvas ref={canvas} />;
}

function configuration(
  points: readonly UsagePoint[],
  unit: UsageUnit,
  scheme: ColourScheme,
  background: string,
): ChartConfiguration<'bar'> {
  const style = getComputedStyle(document.documentElement);
  const variable = (name: string) => style.getPropertyValue(name).trim();
  const ticks = {
    color: variable('--mantine-color-dimmed'),
    font: { family: variable('--mantine-font-family') },
  };
  return {
    type: 'bar',
    data: {
      labels: points.map(({ at }) => formatBucket(at, unit)),
      datasets: usageClasses.map(({ name, label }) => ({
        label,
        // minBarLength makes small values visible; null keeps zero invisible.
        data: points.map((point) => point[name] || null),
        minBarLength: 3,
        backgroundColor: fillFor(name, scheme, background),
        borderColor: background,
        borderWidth: { top: 1 },
        borderRadius: 2,
        maxBarThickness: 36,
      })),
    },
    options: {
      responsive: true,
      maintainAspectRatio: false,
      animation: false,
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
