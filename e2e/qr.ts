// Reads a QR code as a phone's camera would: from the pixels on the screen.

import type { Locator } from '@playwright/test';
import { createRequire } from 'node:module';
import type { QRCode } from 'jsqr';

// The package is CommonJS, but its typings declare an ES module.
const decode = createRequire(import.meta.url)('jsqr') as (
  pixels: Uint8ClampedArray,
  width: number,
  height: number,
) => QRCode | null;

/** The text of the code shown inside the element. Throws when none is readable. */
export async function readCode(shown: Locator): Promise<string> {
  await shown.scrollIntoViewIfNeeded();
  const shot = (await shown.screenshot()).toString('base64');
  // The browser decodes the image, so that no image library is needed here.
  const blank = await shown.page().context().newPage();
  const { pixels, width, height } = await blank.evaluate(async (data) => {
    const bytes = Uint8Array.from(atob(data), (character) => character.codePointAt(0) ?? 0);
    const picture = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const canvas = new OffscreenCanvas(picture.width, picture.height);
    const context = canvas.getContext('2d');
    if (!context) throw new Error('no canvas');
    context.drawImage(picture, 0, 0);
    const { data: colours } = context.getImageData(0, 0, picture.width, picture.height);
    return { pixels: [...colours], width: picture.width, height: picture.height };
  }, shot);
  await blank.close();
  const found = decode(Uint8ClampedArray.from(pixels), width, height);
  if (!found) throw new Error('no QR code can be read');
  return found.data;
}
