import { providerPath } from '../../frame/provider-link.tsx';
import { buttonClass } from '../../parts/button.tsx';
import { Section } from '../../parts/section.tsx';

/** Whether the identity provider signs in to this account, and the way to let it. */
export function ProviderState({
  provider,
  isLinked,
}: {
  readonly provider: { readonly name: string };
  readonly isLinked: boolean;
}) {
  return (
    <Section title={`Sign-in with ${provider.name}`}>
      {isLinked ? (
        <p>Linked: you can sign in with {provider.name}.</p>
      ) : (
        <>
          <p>Once linked, you can sign in with {provider.name} instead of your password.</p>
          <p>
            <a className={buttonClass()} href={providerPath('/account')}>
              Link your {provider.name} account
            </a>
          </p>
        </>
      )}
    </Section>
  );
}
