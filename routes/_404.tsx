import { define } from "../lib/app.ts";
import { MessagePage } from "../components/ui/MessagePage.tsx";

export default define.page(function NotFound() {
  return (
    <MessagePage title="Page not found">
      <p>There is nothing at this address. Check it for typing errors, or go back to the streams.</p>
    </MessagePage>
  );
});
