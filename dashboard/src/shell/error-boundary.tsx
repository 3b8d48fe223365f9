import { Component, type ReactNode } from 'react';
import { PageHeader } from '../parts/panel.tsx';
import { ErrorState } from '../parts/states.tsx';

/** Keeps a page that breaks from taking the navigation with it. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { error: Error | undefined }> {
  override state: { error: Error | undefined } = { error: undefined };

  static getDerivedStateFromError(error: Error): { error: Error } {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return (
      <>
        <PageHeader title="Something went wrong" />
        <ErrorState error={error} retry={() => location.reload()} />
      </>
    );
  }
}
