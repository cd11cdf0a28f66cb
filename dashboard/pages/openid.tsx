// The page to which the OpenID provider redirects: sends the response to the API, then shows the previous page. First removes the
// response from the URL. The URL never determines the next page.
// Tested by test/browser/openid.test.ts
import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { call } from '../app/api.ts'
import { type Pending, takePending } from '../app/openid.ts'
import { Link, usePlace } from '../app/router.tsx'
import { CenteredPage } from '../ui/centered-page.tsx'
import { useSending } from '../ui/form.tsx'
import { Loading, Note } from '../ui/note.tsx'
import { useToast } from '../ui/toast.tsx'

export function OpenId({ onEntered }: { onEntered(): void }) {
  const place = usePlace()
  const sending = useSending()
  const toast = useToast()
  // Read once, before the URL changes.
  const [arrived] = useState(() => ({ query: location.search.slice(1), pending: takePending() }))
  const { query, pending } = arrived
  // Before the first paint; an effect would run after it.
  useLayoutEffect(() => history.replaceState(null, '', location.pathname), [])
  useEffect(() => {
    if (pending === null) return
    void sending.run(async () => {
      await send(pending, query)
      if (pending.use !== 'sign-in') toast(texts[pending.use])
      place.go(pending.back, { replace: true })
      onEntered()
    })
  }, [])
  const error =
    pending === null
      ? 'This browser has not begun a sign-in, or has completed it already.'
      : (sending.error?.message ?? null)
  return (
    <CenteredPage title={pending === null || pending.use === 'sign-in' ? 'Sign in' : 'OpenID'}>
      {error === null ? (
        <Loading />
      ) : (
        <>
          <Note tone="bad">{error}</Note>
          <p>
            <Link to={pending?.back ?? '/'}>Back</Link>
          </p>
        </>
      )}
    </CenteredPage>
  )
}

const texts = {
  link: 'Identity linked',
  confirmation: 'Confirmed for 5 minutes. Repeat the change now.',
} as const

async function send(pending: Pending, query: string): Promise<void> {
  const answer = { seal: pending.seal, query }
  if (pending.use === 'link') await call('POST /me/identity', answer)
  else if (pending.use === 'confirmation') await call('POST /me/confirmation/openid', answer)
  else {
    const { link } = pending
    await call('POST /session/openid', { ...answer, ...(link === undefined ? {} : { link }) })
  }
}
