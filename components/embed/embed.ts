// The script that a shop loads (`/embed.js`, under 3 kB). It opens the hosted page as a page, in a pop-up or in a
// frame, and passes its reports to the shop's page. Only the hosted page and the browser decide whether that is
// allowed. A shop delivers only after a signed webhook or a signed request of its server, whatever is reported here.

type Outcome = { readonly session_id: string; readonly status: string; readonly payment_status: string };
type Return = { readonly session_id: string; readonly url: string };
type Mode = 'page' | 'popup' | 'frame';
type Options = {
  readonly mode?: Mode;
  /** Called with every status that the hosted page reports. */
  readonly onStatus?: (outcome: Outcome) => void;
  /** Called once, when the pop-up or frame closes, with the last report; null when there was none. */
  readonly onClose?: (last: Outcome | null) => void;
  /** Called before the shop's page goes to the session's success or cancel address; it stays where it is on `false`. */
  readonly onReturn?: (back: Return) => unknown;
  /** The names of the frame and its button for screen readers. */
  readonly title?: string;
  readonly closeLabel?: string;
};
type Opened = { close(): void };

/** Below this width there is no room for a page beside or above another one. */
const SMALL_SCREEN = '(max-width: 640px), (max-height: 480px)';
const POLL_MS = 400;
/** The browser refused a frame that reports nothing within this time: this page's origin is not listed. */
const NO_REPORT_TIMEOUT_MS = 6000;

/** The script's own origin: it opens only this origin's pages and reads only this origin's messages. */
const HOME = new URL((document.currentScript as HTMLScriptElement).src).origin;

let current: Opened | null = null;

/** Opens the page of a session, `url` as the API returned it. One at a time: an earlier one is closed. */
function open(url: string, options: Options = {}): Opened {
  const address = new URL(url, location.href);
  if (address.origin !== HOME) throw new Error(`${url} is not a page of ${HOME}`);
  current?.close();
  const { mode = 'popup' } = options;
  const show = mode === 'frame' ? inFrame : inPopup;
  current =
    (mode === 'page' || matchMedia(SMALL_SCREEN).matches ? null : show(address.href, options)) ?? asPage(address);
  return current;
}

function asPage(address: URL): Opened {
  location.assign(address);
  return { close() {} };
}

/** Null when the browser blocks the window. */
function inPopup(address: string, options: Options): Opened | null {
  const [width, height] = [480, 780];
  const [left, top] = [screenX + (outerWidth - width) / 2, screenY + (outerHeight - height) / 2];
  const popup = window.open(address, '_blank', `popup,width=${width},height=${height},left=${left},top=${top}`);
  if (!popup) return null;
  const end = listen(() => popup, options, close);
  const timer = setInterval(() => popup.closed && close(), POLL_MS);
  function close(): void {
    clearInterval(timer);
    popup?.close();
    end();
  }
  popup.focus();
  return { close };
}

/** A modal dialog: the browser keeps the keyboard inside, closes it on Esc and restores the focus. */
function inFrame(address: string, options: Options): Opened {
  const dialog = document.createElement('dialog');
  const button = document.createElement('button');
  const frame = document.createElement('iframe');
  Object.assign(dialog.style, {
    width: 'min(1000px, 96vw)',
    height: 'min(860px, 96vh)',
    maxWidth: 'none',
    maxHeight: 'none',
    padding: '0',
    border: '0',
    borderRadius: '12px',
    overflow: 'hidden',
  });
  Object.assign(frame.style, { width: '100%', height: '100%', border: '0', display: 'block' });
  Object.assign(button.style, {
    position: 'absolute',
    top: '8px',
    insetInlineEnd: '8px',
    width: '44px',
    height: '44px',
    border: '0',
    borderRadius: '22px',
    font: '24px/1 sans-serif',
    cursor: 'pointer',
  });
  button.textContent = '×';
  button.ariaLabel = options.closeLabel ?? 'Close';
  dialog.ariaLabel = frame.title = options.title ?? 'Stabletill';
  frame.allow = 'clipboard-write';
  frame.src = address;
  dialog.append(frame, button);
  const close = (): void => dialog.close();
  let hasReported = false;
  const onStatus = (outcome: Outcome): void => {
    hasReported = true;
    options.onStatus?.(outcome);
  };
  const end = listen(() => frame.contentWindow, { ...options, onStatus }, close);
  // The payment can continue on the full page everywhere.
  const leaveIfSilent = (): void => {
    if (hasReported || !dialog.open) return;
    close();
    location.assign(address);
  };
  frame.addEventListener('load', () => setTimeout(leaveIfSilent, NO_REPORT_TIMEOUT_MS), { once: true });
  button.addEventListener('click', close);
  dialog.addEventListener('close', () => {
    dialog.remove();
    end();
  });
  document.body.append(dialog);
  dialog.showModal();
  return { close };
}

/** Receives one of our windows' messages. Returns what ends this, once, and reports the end to the shop. */
function listen(source: () => Window | null, { onStatus, onClose, onReturn }: Options, close: () => void): () => void {
  let last: Outcome | null = null;
  let isOver = false;
  const hear = ({ origin, source: from, data }: MessageEvent): void => {
    if (origin !== HOME || from !== source()) return;
    if (data?.type === 'stabletill.close') close();
    if (data?.type === 'stabletill.return' && /^https?:/.test(data.url)) {
      const { session_id, url } = data as Return;
      const isTaken = onReturn?.({ session_id, url }) === false;
      close();
      if (!isTaken) location.assign(url);
    }
    if (data?.type !== 'stabletill.status') return;
    const { session_id, status, payment_status } = data as Outcome;
    last = { session_id, status, payment_status };
    onStatus?.(last);
  };
  addEventListener('message', hear);
  return () => {
    if (isOver) return;
    isOver = true;
    removeEventListener('message', hear);
    onClose?.(last);
  };
}

/** `<a href="…/pay/…" data-stabletill="popup">` needs no script of the shop: the link itself emits events. */
function onLink(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[data-stabletill]') : null;
  if (!link || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
  const emit = (name: string) => (detail: Outcome | Return | null) =>
    link.dispatchEvent(new CustomEvent(`stabletill:${name}`, { detail, bubbles: true, cancelable: name === 'return' }));
  const { stabletill: mode, title, closeLabel } = link.dataset;
  event.preventDefault();
  open(link.href, {
    mode: mode as Mode,
    onStatus: emit('status'),
    onClose: emit('close'),
    onReturn: emit('return'),
    ...(title ? { title } : {}),
    ...(closeLabel ? { closeLabel } : {}),
  });
}

document.addEventListener('click', onLink);
Object.assign(window, { Stabletill: { open } });
