// Arranges pictures side by side, as many on a sheet as are readable at once.

import fs from 'node:fs';

const SHEET_PIXELS = 1900;

/** Of a JPEG: the texts stay readable. */
const QUALITY = 70;

/** Writes `OUT-1.png` and so on. `width` is that of the pictures, and `longest` the height at which the sheet cuts them off. */
export async function drawSheet(page, { taken, width, out, longest = 100_000, type = 'png' }) {
  const shown = width > 500 ? width / 2.2 : width;
  const each = Math.max(1, Math.floor(SHEET_PIXELS / (shown + 8)));
  for (let first = 0; first < taken.length; first += each) {
    const figures = taken.slice(first, first + each).map(({ name, file }) => {
      const data = fs.readFileSync(file).toString('base64');
      return `<figure><figcaption>${name}</figcaption><img width="${shown}" src="data:image/png;base64,${data}"></figure>`;
    });
    // The product's policy would block the sheet's styles.
    await page.goto('about:blank');
    await page.setViewportSize({ width: SHEET_PIXELS, height: 400 });
    await page.setContent(
      `<style>body{margin:0;display:flex;gap:8px;align-items:start;background:#777}figure{margin:0;max-height:${longest}px;overflow:hidden}figcaption{font:13px sans-serif;background:#fff}</style>${figures.join('')}`,
    );
    await page.screenshot({
      path: `${out}-${first / each + 1}.${type}`,
      fullPage: true,
      type,
      ...(type === 'jpeg' && { quality: QUALITY }),
    });
  }
}
