import { useQueryClient } from '@tanstack/react-query';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import type { Who } from '../api/auth-client.ts';
import type { Item } from '../api/client.ts';
import { Bar } from '../parts/bar.tsx';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { ProviderLink } from './provider-link.tsx';
import { useEnter } from './session.ts';
import { SignInForm } from './sign-in-form.tsx';

/** Lets users whose session has ended sign in again on the same screen, so that their input is not lost. */
export function SignInDialog({ account }: { readonly account: Item<'account'> }) {
  const queries = useQueryClient();
  const enter = useEnter();
  const [isOpen, setOpen] = useState(true);
  const goOn = (who: Who): void => {
    // The screen shows data of the previous account.
    if (who.account?.id === account.id) void queries.invalidateQueries();
    else enter(who, '/');
  };
  return (
    <>
      <Dialog title="You are signed out" isOpen={isOpen} onClose={() => setOpen(false)}>
        <p>Sign in to continue. Your input is kept.</p>
        <ProviderLink returnTo="/" isNewTab />
        <SignInForm email={account.email} onSignedIn={goOn} />
      </Dialog>
      {isOpen ? null : (
        <Bar>
          You are signed out, so nothing can be loaded or saved. <Button onClick={() => setOpen(true)}>Sign in</Button>
        </Bar>
      )}
    </>
  );
}

/** Opens the sign-in screen, which returns here. */
export function ToSignIn() {
  const navigate = useNavigate();
  const { href } = useLocation();
  const from = useRef(href);
  useEffect(() => {
    void navigate({ to: '/sign-in', search: from.current === '/' ? {} : { to: from.current }, replace: true });
  }, [navigate]);
  return null;
}
