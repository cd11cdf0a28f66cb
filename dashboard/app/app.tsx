// The whole page: who is there decides between signing in and the page that the path names.
import { useEffect, useErrorBoundary, useRef, useState } from 'preact/hooks'
import { SignIn } from '../pages/sign-in.tsx'
import { Welcome } from '../pages/welcome.tsx'
import { Card, PageHead } from '../ui/card.tsx'
import { Confirming } from '../ui/confirming.tsx'
import { Lone } from '../ui/lone.tsx'
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
  if (isOut) return <SignIn onSignedIn={found.again} />
  if (found.value === undefined) {
    if (found.error === null) return <Loading />
    return (
      <Lone title="Cairn does not answer">
        <Problem error={found.error} again={found.again} />
      </Lone>
    )
  }
  return (
    <SessionProvider found={found.value} reload={found.again}>
      <Shell>
        <CurrentPage />
      </Shell>
    </SessionProvider>
  )
}

function CurrentPage() {
  const { path } = usePlace()
  const session = useSession()
  for (const page of pages) {
    const names = matchPath(page.path, path)
    if (names === null) continue
    if (!mayOpen(page, session)) return <NotForYou page={page} />
    return <LazyPage key={`${path} ${session.account?.id}`} page={page} names={names} />
  }
  return (
    <>
      <Title text="Not found" />
      <PageHead title="There is no such page" />
      <Card>
        <Empty
          title="Nothing is kept at this address"
          action={<Link to="/">To the start page</Link>}
        />
      </Card>
    </>
  )
}

function NotForYou({ page }: { readonly page: Page }) {
  const needed = page.access === 'operator' ? 'operators of this server' : 'owners of the account'
  return (
    <>
      <Title text={page.title} />
      <PageHead title={page.title} />
      <Card>
        <Empty
          title={`This page is for ${needed}`}
          action={<Link to="/">To the start page</Link>}
        />
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

/** A newer build on the server, or a mistake of ours: fetching the page anew mends the first. */
function Broken() {
  return (
    <Card>
      <Empty
        title="This page could not be shown"
        action={
          <button class="button" type="button" onClick={() => location.reload()}>
            Load it again
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

/** After a step to another page the keyboard and screen readers go on at its heading; not when it was just opened. */
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
