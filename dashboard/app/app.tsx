// The dashboard: the sign-in page, the page of an invitation link, or the page that the path names.
import { useEffect, useErrorBoundary, useRef, useState } from 'preact/hooks'
import { Enrol } from '../pages/enrol.tsx'
import { OpenId } from '../pages/openid.tsx'
import { SignIn } from '../pages/sign-in.tsx'
import { Welcome } from '../pages/welcome.tsx'
import { Card, PageHead } from '../ui/card.tsx'
import { Confirming } from '../ui/confirming.tsx'
import { CenteredPage } from '../ui/centered-page.tsx'
import { Empty, Loading, Problem } from '../ui/note.tsx'
import { mayOpen, Shell } from '../ui/shell.tsx'
import { Toasts } from '../ui/toast.tsx'
import { isSignedOut } from './api.ts'
import { matchPath } from './match-path.ts'
import { OwnKeyProvider } from './own-key.tsx'
import { type Page, type PageComponent, pages } from './pages.ts'
import { Link, Router, usePlace } from './router.tsx'
import { SessionProvider, useFindSession, useSession } from './session.tsx'

export function App() {
  return (
    <Router>
      <Toasts>
        <OwnKeyProvider>
          <Confirming>
            <Entry />
          </Confirming>
        </OwnKeyProvider>
      </Toasts>
    </Router>
  )
}

function Entry() {
  const { path } = usePlace()
  const found = useFindSession()
  const isOut = isSignedOut(found.error)
  if (path === '/welcome' && (isOut || found.value !== undefined)) {
    const signedInAs = isOut ? null : (found.value?.person.email ?? null)
    return <Welcome signedInAs={signedInAs} onEntered={found.again} />
  }
  if (path === '/openid' && (isOut || found.value !== undefined)) {
    return <OpenId onEntered={found.again} />
  }
  if (isOut) return <SignIn onSignedIn={found.again} />
  if (found.value === undefined) {
    if (found.error === null) return <Loading />
    return (
      <CenteredPage title="Can't reach Cairn">
        <Problem error={found.error} again={found.again} />
      </CenteredPage>
    )
  }
  return (
    <SessionProvider found={found.value} reload={found.again}>
      {found.value.mustEnrol ? (
        <Enrol />
      ) : (
        <Shell>
          <CurrentPage />
        </Shell>
      )}
    </SessionProvider>
  )
}

function CurrentPage() {
  const { path } = usePlace()
  const session = useSession()
  for (const page of pages) {
    const names = matchPath(page.path, path)
    if (names === null) continue
    if (!mayOpen(page, session)) return <NotAllowed page={page} />
    const mounted = page.stays ?? path
    return <LazyPage key={`${mounted} ${session.account?.id}`} page={page} names={names} />
  }
  return (
    <>
      <Title text="Not found" />
      <PageHead title="Page not found" />
      <Card>
        <Empty title="Nothing at this address" action={<Link to="/">Overview</Link>} />
      </Card>
    </>
  )
}

function NotAllowed({ page }: { readonly page: Page }) {
  const needed = page.access === 'operator' ? 'operators' : 'owners'
  return (
    <>
      <Title text={page.title} />
      <PageHead title={page.title} />
      <Card>
        <Empty title={`Only ${needed} can see this`} action={<Link to="/">Overview</Link>} />
      </Card>
    </>
  )
}

function LazyPage({
  page,
  names,
}: {
  readonly page: Page
  readonly names: Readonly<Record<string, string>>
}) {
  const [loaded, setLoaded] = useState<{ readonly component: PageComponent } | null>(null)
  const [failed, setFailed] = useState(false)
  const [thrown] = useErrorBoundary((error: unknown) => console.error(error))
  useEffect(() => {
    page.load().then(
      (component) => setLoaded({ component }),
      (error: unknown) => {
        console.error(error)
        setFailed(true)
      },
    )
  }, [page])
  if (failed || thrown !== undefined) return <Broken />
  return (
    <>
      <Title text={page.title} />
      {loaded === null ? <Loading /> : <loaded.component names={names} />}
      {loaded !== null && <FocusHeading />}
    </>
  )
}

/** Either the server has a newer build, which loading the page again fixes, or the page has a bug. */
function Broken() {
  return (
    <Card>
      <Empty
        title="Couldn't load this page"
        action={
          <button class="button" type="button" onClick={() => location.reload()}>
            Load again
          </button>
        }
      />
    </Card>
  )
}

function Title({ text }: { readonly text: string }) {
  useEffect(() => {
    document.title = `${text} · Cairn`
  }, [text])
  return null
}

/** Focuses the heading after navigation, for keyboards and screen readers; not on the first page. */
function FocusHeading() {
  const { path } = usePlace()
  const opened = useRef(performance.now() < firstPageMs)
  useEffect(() => {
    if (!opened.current)
      document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true })
  }, [path])
  return null
}

const firstPageMs = 1_500
