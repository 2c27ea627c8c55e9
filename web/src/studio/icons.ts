// Icons of the tools: 24 x 24, strokes in the color of the text.

const ICONS: Record<string, string> = {
  select: '<path d="M6 3l12 9-5.5 1L16 20l-2.5 1-3.3-7L6 17z" fill="currentColor" stroke="none"/>',
  hand: '<path d="M7 12V6.5a1.3 1.3 0 0 1 2.6 0V11m0-5.5V4.3a1.3 1.3 0 0 1 2.6 0V11m0-5.2a1.3 1.3 0 0 1 2.6 0V11.5m0-3.7a1.3 1.3 0 0 1 2.6 0V15c0 4-2.4 6-5.6 6-3 0-4.3-1.4-5.5-4L4.600 13.600c-.6-1.300 1-2 1.900-1z"/>',
  bar: '<path d="M6 18L18 6" stroke-width="5" opacity=".35"/><circle cx="6" cy="18" r="2.300"/><circle cx="18" cy="6" r="2.300"/>',
  plate: '<path d="M5 18L12 5l8 11z" fill="currentColor" fill-opacity=".25"/><circle cx="5" cy="18" r="2"/><circle cx="12" cy="5" r="2"/><circle cx="20" cy="16" r="2"/>',
  wheel: '<circle cx="12" cy="12" r="8.500" fill="currentColor" fill-opacity=".2"/><circle cx="12" cy="12" r="1.800"/>',
  pivot: '<circle cx="12" cy="7" r="2.500"/><path d="M11 9.500L6.500 17h11L13 9.500M4.500 17h15M6 20l2-3m2 3l2-3m2 3l2-3"/>',
  slider: '<rect x="7" y="8" width="10" height="7" rx="1" fill="currentColor" fill-opacity=".25"/><path d="M3 17.500h18M5 20.500l2-3m3 3l2-3m3 3l2-3"/>',
  slot: '<rect x="3" y="9" width="18" height="6" rx="3"/><circle cx="13" cy="12" r="1.900" fill="currentColor"/>',
  weld: '<path d="M4 12h16M12 4v16" opacity=".4" stroke-width="4"/><path d="M9 9l6 6m0-6l-6 6"/>',
  gear: '<circle cx="8.500" cy="13" r="4.500"/><circle cx="17" cy="9" r="3"/><path d="M8.500 6.800v1.700m0 9v1.700M2.300 13H4m9 0h1.700M17 4.500V6m0 6v1.500"/>',
  rack: '<circle cx="12" cy="9" r="5"/><circle cx="12" cy="9" r="1.200"/><path d="M3 20v-4h2v-1.500h2V16h2v-1.500h2V16h2v-1.500h2V16h2v-1.500h2V16h2v4z"/>',
  cam: '<path d="M12 8c4 0 7 2.500 7 6.500S16 21 12 21s-7-2.500-7-6.500c0-3 3-4.500 7-6.500z" fill="currentColor" fill-opacity=".2"/><circle cx="12" cy="14.500" r="1.500"/><circle cx="12" cy="5" r="2.500"/>',
  motor: '<path d="M5 12a7 7 0 1 1 3 5.700"/><path d="M4.500 19.500l3.500-2-1-4"/><circle cx="12" cy="12" r="2"/>',
  spring: '<path d="M3 12h3l1.500-5 3 10 3-10 3 10L18 12h3"/>',
  damper: '<path d="M3 12h6m3 0h9M15 7H9v10h6M12 8.500v7" /><path d="M12 8.500v7" stroke-width="2.500"/>',
  rope: '<path d="M4 20V9a4 4 0 0 1 8 0 4 4 0 0 0 8 0V4"/><circle cx="8" cy="9" r="1.500"/>',
  load: '<path d="M6 5l10 11" stroke-width="2.500"/><path d="M18.500 19l-6-1.500 4.500-4z" fill="currentColor"/>',
  torque: '<path d="M18 8a7.500 7.500 0 1 0 1.500 6"/><path d="M18.500 3.500v5h-5"/>',
  stop: '<path d="M6 4v16M18 4v16M3 6l3 2m-3 3l3 2m-3 3l3 2M18 6l3 2m-3 3l3 2m-3 3l3 2"/><rect x="9.500" y="9" width="5" height="6" fill="currentColor" fill-opacity=".3"/>',
  trace: '<path d="M4 17c2-9 6-12 9-9s2 9 7 5" stroke-dasharray="3 2.500"/><circle cx="13" cy="8" r="2.200" fill="currentColor"/>',
};

export function icon(name: string): string {
  return `<svg viewBox="0 0 24 24" width="22" height="22" fill="none" stroke="currentColor" stroke-width="1.700" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${ICONS[name] ?? ""}</svg>`;
}
