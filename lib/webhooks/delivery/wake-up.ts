// A wait that can be ended early. A ring before the wait counts too, so no wake-up is lost between polling and waiting.

export type Alarm = {
  readonly ring: () => void;
  /** Resolves after the given milliseconds, or at once if it rang since the last wait. */
  readonly wait: (milliseconds: number) => Promise<void>;
};

export function openAlarm(): Alarm {
  let hasRung = false;
  let wake: (() => void) | null = null;
  return {
    ring: () => {
      hasRung = true;
      wake?.();
    },
    wait: async (milliseconds) => {
      if (!hasRung) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, milliseconds);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      [hasRung, wake] = [false, null];
    },
  };
}
