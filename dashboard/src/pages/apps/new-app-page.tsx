import { useState } from 'react';
import { BackLink } from '../../parts/back-link.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { useApplications } from './applications.ts';
import { NewAppForm } from './new-app-form.tsx';
import { NoApps } from './no-apps.tsx';
import { ObstacleNotice } from './obstacle-notice.tsx';

export default function NewAppPage() {
  const query = useApplications();
  // The app that is made here may be the last one there is room for: its secret is shown all the same.
  const [isSent, setSent] = useState(false);
  return (
    <>
      <PageHeader
        title="Register an app"
        description="You get a client ID and a client secret, with which your server takes part in OAuth 2.0."
        back={<BackLink href="/developers/apps">Apps</BackLink>}
      />
      <Loaded query={query}>
        {({ obstacle, applications }) => {
          if (obstacle === null || isSent) return <NewAppForm onSent={() => setSent(true)} />;
          if (applications.length === 0) return <NoApps obstacle={obstacle} />;
          return <ObstacleNotice obstacle={obstacle} />;
        }}
      </Loaded>
    </>
  );
}
