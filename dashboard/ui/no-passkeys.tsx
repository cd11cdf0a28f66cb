// Why no passkey can be used on this page, and where it could.
// Tested by test/browser/passkeys.test.ts

export function NoPasskeys({ why, link }: { readonly why: string; readonly link: string | null }) {
  return (
    <p class="hint">
      {why}
      {link !== null && (
        <>
          {' '}
          Open it as <a href={link + location.pathname}>{link}</a>.
        </>
      )}
    </p>
  )
}
