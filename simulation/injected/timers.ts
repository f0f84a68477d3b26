// Timers under the control of a history. Nothing waits for real time: a long timer fires only when the history lets it,
// such as the deadline of a request that an endpoint does not answer. Short pauses stay real and have no influence.

export type ControlledTimers = {
  /** Fires every pending timer of exactly this length: the deadlines of requests that hang. */
  readonly fire: (milliseconds: number) => void;
  /** Ends the deadline of one request. The transport calls it when an endpoint does not answer. */
  readonly expire: (signal: AbortSignal) => void;
  /** Waits a real moment. */
  readonly pause: (milliseconds: number) => Promise<void>;
  readonly restore: () => void;
};

/** The product's deadlines and background timers are longer. */
const LONG_MILLISECONDS = 900;

type Timer = { readonly run: () => void; readonly milliseconds: number };

/** What `setTimeout` returns for a controlled timer, as far as the product uses it. */
const handleOf = (cancel: () => void): NodeJS.Timeout => {
  const handle = { ref: () => handle, unref: () => handle, hasRef: () => false, refresh: () => handle, close: cancel };
  return handle as unknown as NodeJS.Timeout;
};

export function injectTimers(): ControlledTimers {
  const original = { setTimeout, clearTimeout, timeout: AbortSignal.timeout };
  const pending = new Map<NodeJS.Timeout, Timer>();
  const controllers = new WeakMap<AbortSignal, AbortController>();

  const controlled = (run: (...values: unknown[]) => void, milliseconds = 0, ...values: unknown[]): NodeJS.Timeout => {
    if (milliseconds < LONG_MILLISECONDS) return original.setTimeout(run, milliseconds, ...values);
    const handle = handleOf(() => void pending.delete(handle));
    pending.set(handle, { run: () => run(...values), milliseconds });
    return handle;
  };
  const clear = (handle: NodeJS.Timeout | undefined): void => {
    if (handle && pending.delete(handle)) return;
    original.clearTimeout(handle);
  };
  globalThis.setTimeout = Object.assign(controlled, original.setTimeout) as typeof setTimeout;
  globalThis.clearTimeout = clear as typeof clearTimeout;
  AbortSignal.timeout = () => {
    const controller = new AbortController();
    controllers.set(controller.signal, controller);
    return controller.signal;
  };
  return {
    fire: (milliseconds) => {
      for (const [handle, timer] of pending) {
        if (timer.milliseconds !== milliseconds) continue;
        pending.delete(handle);
        timer.run();
      }
    },
    expire: (signal) => controllers.get(signal)?.abort(new DOMException('The operation timed out', 'TimeoutError')),
    pause: (milliseconds) => new Promise((resolve) => void original.setTimeout(resolve, milliseconds)),
    restore: () => {
      globalThis.setTimeout = original.setTimeout;
      globalThis.clearTimeout = original.clearTimeout;
      AbortSignal.timeout = original.timeout;
    },
  };
}
