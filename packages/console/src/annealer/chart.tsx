/** A small chart over time on uPlot, in the tokens' colours, drawn again when the theme changes. */
import 'uplot/dist/uPlot.min.css';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import { readPalette, watchPalette, type Palette } from '../fleet/palette.ts';

export interface Series {
  readonly label: string;
  readonly values: readonly number[];
  readonly colour: (palette: Palette) => string;
  readonly fill?: boolean;
  readonly dash?: boolean;
}

export interface ChartProps {
  readonly label: string;
  readonly times: readonly number[];
  readonly series: readonly Series[];
  readonly height?: number;
}

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });

const translucent = (colour: string): string =>
  colour.replace('rgb(', 'rgba(').replace(')', ', 0.14)');

const optionsFor = (props: ChartProps, palette: Palette, width: number): uPlot.Options => {
  const axis: uPlot.Axis = {
    stroke: palette.ink3,
    font: "11px 'Inter', system-ui, sans-serif",
    grid: { stroke: palette.line, width: 1 },
    ticks: { show: false },
  };
  return {
    width,
    height: props.height ?? 170,
    legend: { show: false },
    cursor: { y: false, points: { size: 6 } },
    scales: { y: { range: (_, __, most) => [0, Math.max(1, most * 1.15)] } },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 26,
        values: (_, ticks) => ticks.map((tick) => clock.format(tick * 1000)),
      },
      { ...axis, size: 40 },
    ],
    series: [
      {},
      ...props.series.map((each) => ({
        label: each.label,
        stroke: each.colour(palette),
        width: 1.6,
        points: { show: false },
        ...(each.fill === true ? { fill: translucent(each.colour(palette)) } : {}),
        ...(each.dash === true ? { dash: [4, 4] } : {}),
      })),
    ],
  };
};

export const Chart = (props: ChartProps) => {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const data = [props.times, ...props.series.map((each) => each.values)] as uPlot.AlignedData;
  const now = useRef({ props, data });
  now.current = { props, data };
  useEffect(() => {
    const holder = box.current;
    if (holder === null) return undefined;
    const make = (palette: Palette) => {
      plot.current?.destroy();
      plot.current = new uPlot(
        optionsFor(now.current.props, palette, holder.clientWidth),
        now.current.data,
        holder,
      );
    };
    make(readPalette());
    const stop = watchPalette(make);
    const observer = new ResizeObserver(() =>
      plot.current?.setSize({ width: holder.clientWidth, height: now.current.props.height ?? 170 }),
    );
    observer.observe(holder);
    return () => {
      stop();
      observer.disconnect();
      plot.current?.destroy();
      plot.current = undefined;
    };
  }, []);
  useEffect(() => {
    plot.current?.setData(data);
  });
  const latest = props.series.map((each) => `${each.label} ${each.values.at(-1) ?? 0}`).join(', ');
  return (
    <div ref={box} className="chart" role="img" aria-label={`${props.label}; latest: ${latest}`} />
  );
};
