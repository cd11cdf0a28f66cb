// Why no passkey can be used on this page, and where it could: text within a paragraph.
// Tested by test/browser/passkeys.test.ts

export function NoPasskeys({ why, link }: { readonly why: string; readonly link: string | null }) {
  return (
    <>
      {why}
      {link !== null && (
        <>
          {' '}
          Open this page as <a href={link + location.pathname}>{link}</a>.
        </>
      )}
    </>
  )
}
