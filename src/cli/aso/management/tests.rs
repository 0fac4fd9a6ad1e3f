//! What is looked at in a management cluster, and what is said of it.

use landfall_engine_aso::drive::Step;

use super::*;

#[test]
fn work_whose_time_is_over_can_be_resumed() {
    let ground = Ground { infra_id: "demo-x7k2p".to_owned(), namespace: "clusters".to_owned() };
    let (findings, exit) = judged(&Worked::Ended(End::TimedOut, Step::default()), &ground);
    assert_eq!((findings.len(), exit), (1, Exit::PartWay));
}

#[cfg(feature = "controllers")]
#[tokio::test]
async fn all_objects_of_the_namespace_are_looked_at() {
    use std::sync::{Arc, Mutex};

    use axum::Router;
    use axum::body::Body;
    use axum::extract::Request;
    use axum::response::Response;
    use futures::StreamExt as _;

    use landfall_engine_aso::drive::ObjectEvent;
    use landfall_engine_aso::kinds::named;

    let asked: Arc<Mutex<Vec<String>>> = Arc::default();
    let noted = Arc::clone(&asked);
    let server = Router::new().fallback(move |request: Request| {
        if let (Ok(mut noted), Some(path)) = (noted.lock(), request.uri().path_and_query()) {
            noted.push(path.to_string());
        }
        let list = json!({ "metadata": { "resourceVersion": "7" }, "items": [{ "metadata": {} }] });
        async move { Response::new(Body::from(list.to_string())) }
    });
    let client = ::kube::Client::new(server, "default");
    let live = Live::new(client.clone());
    let management = Management { calls: client.clone(), watches: client, server: String::new(), live };
    let ground = Ground { infra_id: "demo-x7k2p".to_owned(), namespace: "clusters".to_owned() };
    let kinds: Vec<&'static Kind> = named("ResourceGroup").into_iter().collect();
    let told = management.feed(&kinds, &Report::default(), &ground).next().await;
    assert_eq!(told, Some(ObjectEvent::All("ResourceGroup", vec![json!({ "metadata": {} })])));
    let path = "/apis/resources.azure.com/v1api20200601/namespaces/clusters/resourcegroups";
    assert_eq!(asked.lock().map(|asked| asked.clone()).unwrap_or_default(), [path]);
}

#[test]
fn who_has_no_kubeconfig_is_told_how_to_name_one() {
    let told = |path: &str, bad: Bad| {
        let bad = BadKubeconfig { bad, why: "is not there".to_owned() };
        let finding = bad_kubeconfig(Path::new(path), &bad);
        (finding.code.as_str(), finding.message, finding.help.unwrap_or_default())
    };
    for (bad, code) in [(Bad::Unreadable, "LF1240"), (Bad::Invalid, "LF1241")] {
        let (found, message, help) = told("a", bad);
        assert_eq!(found, code, "{message}");
        assert!(message.contains("kubeconfig a ") && message.ends_with("is not there"), "{message}");
        assert!(help.contains("--kubeconfig") && help.contains("KUBECONFIG"), "{help}");
        // That is where the kubeconfig of the installed cluster is.
        assert!(!help.contains("auth/") && !help.contains("ignition"), "{help}");
    }
    let (code, message, _) = told(ACCOUNT, Bad::Unreadable);
    assert!(code == "LF1240" && message.contains("service account"), "{code} {message}");
}

#[test]
fn a_server_that_does_not_answer_is_named_and_one_that_refuses_says_who_can_help() {
    let told = |fault: Fault| {
        let finding = unanswered("127.0.0.1:6443", &fault.into());
        assert_eq!(finding.code.as_str(), "LF1532");
        (finding.message, finding.help.unwrap_or_default())
    };
    let (message, _) = told(Fault::late());
    assert!(message.ends_with("(127.0.0.1:6443)"), "{message}");
    let (message, help) = told(Fault::Forbidden("no".to_owned()));
    assert!(!message.contains("127.0.0.1") && help.contains("landfall aso roles"), "{message} {help}");
}

#[test]
fn the_command_for_roles_is_whole() {
    let command = |infra_id: Option<&str>, machines: bool, namespace: &str| {
        Driver { infra_id, machines }.roles_command(namespace)
    };
    let id = Some("demo-x7k2p");
    assert_eq!(command(id, false, "demo-x7k2p"), "landfall aso roles --infra-id demo-x7k2p");
    assert_eq!(command(None, false, "fleet"), "landfall aso roles --namespace fleet");
    assert_eq!(
        command(id, true, "fleet"),
        "landfall aso roles --infra-id demo-x7k2p --namespace fleet --machines aso"
    );
}
