const SVG = 'http://www.w3.org/2000/svg';

const draw = (tag: string, attributes: Readonly<Record<string, string>>, ...children: SVGElement[]): SVGElement => {
  const element = document.createElementNS(SVG, tag) as SVGElement;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
};

const path = (d: string, attributes: Readonly<Record<string, string>>): SVGElement =>
  draw('path', { d, ...attributes });

/** Light that fades on its way up. */
const fading = (): SVGElement =>
  draw(
    'linearGradient',
    { id: 'chest-light', x1: '0', y1: '1', x2: '0', y2: '0' },
    draw('stop', { offset: '0', 'stop-color': '#ffe7a6' }),
    draw('stop', { offset: '1', 'stop-color': '#ffb13d', 'stop-opacity': '0' }),
  );

/** A chest, whose lid opens. */
export const chestPicture = (kind: 'closed' | 'opening'): SVGElement => {
  const viewBox = kind === 'closed' ? '0 16 200 140' : '0 -30 200 186';
  const svg = draw('svg', { viewBox, class: `chest-picture ${kind}`, 'aria-hidden': 'true' });
  const lid = draw('g', { class: 'lid' });
  lid.append(
    path('M24 76V58q0-34 36-34h80q36 0 36 34v18z', { fill: '#6b4327' }),
    path('M24 76V58q0-34 36-34h14q-30 6-30 40v12z', { fill: '#8a5a36' }),
    path('M44 76V56q0-30 20-32h12q-16 6-16 32v20zM124 24h12q20 2 20 32v20h-16V56q0-26-16-32z', { fill: '#454b58' }),
    path('M20 70h160v12H20z', { fill: '#565d6c' }),
  );
  if (kind === 'opening')
    svg.append(fading(), path('M36 74L-10-30h220L164 74z', { fill: 'url(#chest-light)', class: 'shine' }));
  svg.append(
    path('M30 66h140v22H30z', { fill: '#140d08', class: 'inside' }),
    path('M24 80h152v62q0 8-8 8H32q-8 0-8-8z', { fill: '#5b3820' }),
    path('M24 80h152v14H24z', { fill: '#3c2413' }),
    path('M44 80h16v70H44zM140 80h16v70h-16zM24 136h152v6q0 8-8 8H32q-8 0-8-8z', { fill: '#454b58' }),
    lid,
    path('M86 70h28v26q0 10-14 14-14-4-14-14z', { fill: '#d9a441', class: 'lock' }),
    path('M100 82a5 5 0 0 1 3 9l2 8h-10l2-8a5 5 0 0 1 3-9z', { fill: '#3c2413', class: 'lock' }),
  );
  return svg;
};
