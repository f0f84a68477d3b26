'use client';
// The sound of a paid sale: three rising tones, synthesized so that no file is loaded. Browsers allow sound only after
// a press, which the press on "Charge" is.

import { useRef } from 'react';

export type Chime = {
  /** Call it during a press of the user: from then on the page may play sounds. */
  readonly unlock: () => void;
  readonly play: () => void;
};

/** Hertz: C, E and G, as in a counter's bell. */
const TONES = [523.25, 659.25, 783.99];
const SECONDS_APART = 0.12;
const SECONDS_LONG = 0.45;
/** Fraction of full volume: audible across a counter without startling anyone. */
const LOUDNESS = 0.25;
/** An exponential curve cannot reach zero. */
const SILENCE = 0.0001;

export function useChime(): Chime {
  const context = useRef<AudioContext>(null);
  const unlock = () => {
    // Without Web Audio the till is silent, and everything else works.
    if (typeof AudioContext === 'undefined') return;
    context.current ??= new AudioContext();
    void context.current.resume();
  };
  const play = () => {
    if (context.current?.state === 'running') ring(context.current);
  };
  return { unlock, play };
}

function ring(context: AudioContext): void {
  TONES.forEach((tone, index) => {
    const at = context.currentTime + index * SECONDS_APART;
    const [oscillator, gain] = [context.createOscillator(), context.createGain()];
    oscillator.frequency.value = tone;
    gain.gain.setValueAtTime(SILENCE, at);
    gain.gain.exponentialRampToValueAtTime(LOUDNESS, at + 0.02);
    gain.gain.exponentialRampToValueAtTime(SILENCE, at + SECONDS_LONG);
    oscillator.connect(gain).connect(context.destination);
    oscillator.start(at);
    oscillator.stop(at + SECONDS_LONG);
  });
}
