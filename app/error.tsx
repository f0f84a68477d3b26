'use client';
// The page for a failure while drawing. It shows no detail. No words can come from the server then, so its few sentences
// travel with it in every language.

import { MessagePage } from '@/components/ui/message-page';
import { chooseLocale, type Locale } from '@/lib/i18n/locales';
import ar from '@/messages/error/ar.json';
import en from '@/messages/error/en.json';
import zh from '@/messages/error/zh.json';

const WORDS: Readonly<Record<Locale, typeof en>> = { en, zh, ar };

export default function ErrorPage({ retry }: { retry: () => void }) {
  const words = WORDS[pageLocale()];
  return (
    <MessagePage title={words.title} text={words.text}>
      <p className="actions">
        <button type="button" className="button" onClick={retry}>
          {words.tryAgain}
        </button>
      </p>
    </MessagePage>
  );
}

function pageLocale(): Locale {
  if (typeof document === 'undefined') return 'en';
  return chooseLocale({ asked: document.documentElement.lang, remembered: null, accepted: navigator.language });
}
