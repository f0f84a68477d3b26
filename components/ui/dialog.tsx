'use client';
// Modal dialogs: they trap the focus, close on Escape and on the backdrop, and restore the focus. On phones a dialog is
// a sheet at the bottom edge.

import * as Ariakit from '@ariakit/react';
import { useRef, useState, type ReactNode } from 'react';
import { Button, IconButton, type ButtonKind } from './button';
import { useWords } from './words';

type Props = {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly text?: ReactNode;
  /** When false, neither Escape nor the backdrop closes it, because its content is shown only once. */
  readonly isDismissable?: boolean;
  readonly isWide?: boolean;
  /** It may open above another dialog, which is hidden meanwhile (dashboard.css). */
  readonly isAbove?: boolean;
  readonly children?: ReactNode;
};

export function Dialog(props: Props) {
  const { isOpen, onClose, title, text, isDismissable = true, isWide = false, isAbove = false, children } = props;
  const { t } = useWords();
  const frame = useRef<HTMLDivElement>(null);
  return (
    <Ariakit.Dialog
      open={isOpen}
      onClose={onClose}
      unmountOnHide
      hideOnEscape={isDismissable}
      hideOnInteractOutside={isDismissable}
      backdrop={<div className="bg-veil" />}
      ref={frame}
      data-above={isAbove || undefined}
      autoFocusOnShow={() => !focusFirstField(frame.current)}
      className={`dash fixed inset-x-0 bottom-0 z-50 m-auto max-h-[92dvh] w-full animate-rise scroll-pb-20 overflow-y-auto rounded-t-2xl bg-raised text-ink shadow-pop outline-none sm:top-0 sm:h-fit sm:rounded-2xl ${isWide ? 'sm:max-w-2xl' : 'sm:max-w-md'}`}
    >
      <div className="flex items-start justify-between gap-3 px-5 pt-5">
        <Ariakit.DialogHeading render={<h2>{title}</h2>} className="text-lg leading-tight font-bold" />
        {isDismissable && (
          <span className="-me-2 -mt-1.5">
            <IconButton icon="close" label={t('uiClose')} onClick={onClose} />
          </span>
        )}
      </div>
      {text && <Ariakit.DialogDescription className="px-5 pt-1.5 text-muted">{text}</Ariakit.DialogDescription>}
      <div className="dialog-body grid gap-4 p-5">{children}</div>
    </Ariakit.Dialog>
  );
}

/** Focuses what is marked, or else the first field; without either Ariakit's choice applies. */
function focusFirstField(frame: HTMLElement | null): boolean {
  const field =
    frame?.querySelector<HTMLElement>('[data-focus-first]') ??
    frame?.querySelector<HTMLElement>('input:not([type=hidden]), select, textarea');
  field?.focus();
  return field !== null && field !== undefined;
}

/** The buttons at the end of a dialog: the last one performs the action. */
export function DialogActions({ children }: { children: ReactNode }) {
  return <div className="form-actions mt-1 flex flex-col-reverse gap-2 sm:flex-row sm:justify-end">{children}</div>;
}

type ConfirmProps = {
  readonly title: string;
  readonly text: ReactNode;
  /** The button that performs the action: a verb, not "OK". */
  readonly confirm: string;
  readonly isDangerous?: boolean;
  /** Resolves to whether the action succeeded; the dialog then closes. */
  readonly onConfirm: () => Promise<boolean>;
  readonly children?: ReactNode;
};
type TriggerProps = {
  /** The button that opens the question. */
  readonly trigger: string;
  readonly triggerKind?: ButtonKind;
  readonly isSmall?: boolean;
};

/** A button that asks for confirmation. */
export function Confirm({ trigger, triggerKind = 'secondary', isSmall, ...question }: ConfirmProps & TriggerProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button kind={triggerKind} size={isSmall ? 'small' : 'normal'} onClick={() => setIsOpen(true)}>
        {trigger}
      </Button>
      <ConfirmDialog isOpen={isOpen} onClose={() => setIsOpen(false)} {...question} />
    </>
  );
}

/** The question alone, for menus. */
export function ConfirmDialog(props: ConfirmProps & Pick<Props, 'isOpen' | 'onClose'>) {
  const { isOpen, onClose, title, text, confirm, isDangerous = false, onConfirm, children } = props;
  const [isPending, setIsPending] = useState(false);
  const { t } = useWords();
  const run = async () => {
    setIsPending(true);
    const isDone = await onConfirm().finally(() => setIsPending(false));
    if (isDone) onClose();
  };
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={title} text={text}>
      {children}
      <DialogActions>
        <Button onClick={onClose}>{t('uiCancel')}</Button>
        <Button kind={isDangerous ? 'danger' : 'primary'} isPending={isPending} onClick={() => void run()}>
          {confirm}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
