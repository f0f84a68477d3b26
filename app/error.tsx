'use client';
// The page for a rendering failure. It shows no detail.

import { useFailureTexts, type Words } from '@/components/ui/failure-texts';
import { MessagePage } from '@/components/ui/message-page';
import english from '@/messages/error/en.json';

export default function ErrorPage({ retry }: { retry: () => void }) {
  const words: Words = useFailureTexts() ?? english;
  return (
    <MessagePage icon="warn" title={words.title} text={words.text} product={words.product}>
      <button type="button" className="button" onClick={retry}>
        {words.tryAgain}
      </button>
    </MessagePage>
  );
}
