// Text that explains why passkeys are unavailable on this page, and a link to a URL where they are available.
// Tested by test/browser/passkeys.test.ts

export function NoPasskeys({ why, link }: { readonly why: string; readonly link: string | null }) {
  return (
    <>
      {why}
      {link !== null && (
        <>
          {' '}
          Open this page at <a href={link + location.pathname}>{link}</a>.
        </>
      )}
    </>
  )
}
