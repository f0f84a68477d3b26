// The frame of the demo shop's pages, and the picture of its item.

import { html, type Html } from './html';
import { text } from './text';

export function page(title: string, content: Html, refreshSeconds: number | null = null): string {
  const refresh =
    refreshSeconds === null ? null : html`<meta http-equiv="refresh" content="${String(refreshSeconds)}" />`;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        ${refresh}
        <title>${title} · ${text('shop.name')}</title>
        <link rel="stylesheet" href="/shop/style.css" />
        <link rel="icon" href="data:," />
      </head>
      <body>
        <p class="demo">${text('shop.demo')}</p>
        <header><a href="/shop">${text('shop.name')}</a></header>
        <main>${content}</main>
      </body>
    </html>`.markup;
}

/** Inline, so that the shop loads nothing from elsewhere: a mug on a table in soft light. */
export const PICTURE = html`<svg class="picture" viewBox="0 0 400 400" role="img" aria-label="${text('item.name')}">
  <defs>
    <linearGradient id="wall" x2="0" y2="1">
      <stop stop-color="#f6efe6" />
      <stop offset="1" stop-color="#e5d8c8" />
    </linearGradient>
    <linearGradient id="table" x2="0" y2="1">
      <stop stop-color="#c79f76" />
      <stop offset="1" stop-color="#a67c52" />
    </linearGradient>
    <linearGradient id="glaze">
      <stop stop-color="#1f3f93" />
      <stop offset=".28" stop-color="#5f8ae6" />
      <stop offset=".5" stop-color="#3563cb" />
      <stop offset="1" stop-color="#162e70" />
    </linearGradient>
    <linearGradient id="handle" x2="1" y2="1">
      <stop stop-color="#4a78dc" />
      <stop offset="1" stop-color="#152c6a" />
    </linearGradient>
    <radialGradient id="coffee">
      <stop stop-color="#7b4a2a" />
      <stop offset="1" stop-color="#3d2212" />
    </radialGradient>
    <radialGradient id="shade">
      <stop stop-color="#3a2410" stop-opacity=".55" />
      <stop offset="1" stop-color="#3a2410" stop-opacity="0" />
    </radialGradient>
    <radialGradient id="light" cx=".25" cy=".1" r=".8">
      <stop stop-color="#fff" stop-opacity=".85" />
      <stop offset="1" stop-color="#fff" stop-opacity="0" />
    </radialGradient>
  </defs>
  <path d="M0 0h400v400H0z" fill="url(#wall)" />
  <path d="M0 0h400v290H0z" fill="url(#light)" />
  <path d="M0 286h400v114H0z" fill="url(#table)" />
  <path d="M0 286h400v3H0z" fill="#8d6742" opacity=".5" />
  <path
    d="M0 322c120-6 260 8 400 0M0 362c150 8 250-6 400 2"
    fill="none"
    stroke="#8d6742"
    stroke-width="2"
    opacity=".3"
  />
  <ellipse cx="222" cy="336" rx="150" ry="22" fill="url(#shade)" />
  <path d="M262 184c62-14 84 22 76 62-8 38-42 56-80 52l4-24c26 2 44-10 49-33 5-24-12-40-45-31z" fill="url(#handle)" />
  <path d="M98 148c0 60 2 126 14 170 4 16 34 24 78 24s74-8 78-24c12-44 14-110 14-170z" fill="url(#glaze)" />
  <path
    d="M116 170c0 52 4 104 12 138"
    fill="none"
    stroke="#fff"
    stroke-width="9"
    stroke-linecap="round"
    opacity=".28"
  />
  <path d="M103 224c40 14 134 14 174 0l-1 16c-44 13-128 13-172 0z" fill="#f3ead9" opacity=".9" />
  <ellipse cx="190" cy="148" rx="92" ry="25" fill="#dfe8fb" />
  <ellipse cx="190" cy="149" rx="84" ry="20" fill="#223f8c" />
  <ellipse cx="190" cy="154" rx="78" ry="15" fill="url(#coffee)" />
  <path d="M150 150c14-6 36-7 52-4" fill="none" stroke="#c99b6d" stroke-width="3" stroke-linecap="round" opacity=".6" />
  <path
    d="M160 112c-14-20 16-30 2-54M194 104c-14-20 16-30 2-54M228 112c-14-20 16-30 2-54"
    fill="none"
    stroke="#fff"
    stroke-width="7"
    stroke-linecap="round"
    opacity=".55"
  />
</svg>`;
