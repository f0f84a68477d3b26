'use client';
// A sample with places for keys, filled with the reader's own test keys once this tab knows them.

import { useTestKeys } from '@/components/ui/test-keys';
import { fillKeys } from './key-places';
import { SampleKeys, type KeyWords } from './keys';
import { Sample, type SampleProps, type SampleWords } from './sample';

type Words = SampleWords & { readonly fillKeys: string; readonly keys: KeyWords };

export function SampleWithKeys({ text, words, ...rest }: SampleProps & { readonly words: Words }) {
  const keys = useTestKeys();
  return (
    <>
      <Sample text={fillKeys(text, keys)} words={words} {...rest} />
      <SampleKeys title={words.fillKeys} words={words.keys} />
    </>
  );
}
